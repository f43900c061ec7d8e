/** A text for which the stripper itself broke; it cannot be used again. */
export class StripperBroke extends Error {
  override readonly name = "StripperBroke";
}

/** What the stripper tells of a fault; it counts columns from 0. */
interface Told {
  readonly message?: unknown;
  readonly startLine?: unknown;
  readonly startColumn?: unknown;
}

/** What is wrong with a text, and where, as the engine says it of JavaScript. */
export class TypeScriptFault extends SyntaxError {
  override readonly name = "TypeScriptFault";
  readonly trace: string | undefined;

  constructor(module: string, { message, startLine, startColumn }: Told) {
    super(typeof message === "string" ? message : "is no TypeScript");
    const known = typeof startLine === "number" && typeof startColumn === "number";
    this.trace = known ? `    at ${module}:${startLine}:${startColumn + 1}` : undefined;
  }
}

/** Makes JavaScript of TypeScript: types become blanks, so that lines and columns stay. Throws what is wrong with the text. */
export async function stripTypes(name: string, text: string): Promise<string> {
  // Large, and few threads ever need it.
  const { default: stripper } = await import("@swc/wasm-typescript");
  try {
    return stripper.transformSync(text, { filename: `${name}.ts`, mode: "strip-only", module: true }).code;
  } catch (error) {
    // What it has to say is no error but an object with a message.
    if (error instanceof Error) throw new StripperBroke("nests too deep to be read", { cause: error });
    throw new TypeScriptFault(name, error as Told);
  }
}
