#!/usr/bin/env node
// The installed package has its build. A checkout runs the sources.
import { existsSync } from 'node:fs';

const source = new URL('../src/cli/main.ts', import.meta.url);
const isCheckout = existsSync(source);
if (isCheckout) (await import('tsx/esm/api')).register();
const { main } = await import(isCheckout ? source.href : '../dist/cli/main.js');
process.exitCode = await main(process.argv.slice(2));
