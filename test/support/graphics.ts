/**
 * Runs in the page: a fake graphics card that accepts every call and draws nothing. Without real hardware,
 * drawing is most of a map's cost. The map still knows its features, their positions, and their click
 * targets.
 */
export function drawNothing(): void {
  const answers: Record<string, unknown> = {
    checkFramebufferStatus: 0x8cd5,
    getShaderInfoLog: '',
    getProgramInfoLog: '',
    getError: 0,
    getParameter: 4_096,
    getSupportedExtensions: [],
    getExtension: null,
    isContextLost: false,
    getContextAttributes: {},
  };
  const card = new Proxy({} as Record<string, unknown>, {
    get(known, name: string) {
      if (!(name in known)) {
        const answer = name in answers ? answers[name] : {};
        known[name] =
          name in WebGL2RenderingContext ? WebGL2RenderingContext[name as 'TEXTURE_2D'] : () => answer;
      }
      return known[name];
    },
  });
  const real = HTMLCanvasElement.prototype.getContext as (kind: string, options?: object) => unknown;
  HTMLCanvasElement.prototype.getContext = function (
    this: HTMLCanvasElement,
    kind: string,
    options?: object,
  ) {
    return kind.startsWith('webgl') ? card : real.call(this, kind, options);
  } as typeof real as HTMLCanvasElement['getContext'];
}
