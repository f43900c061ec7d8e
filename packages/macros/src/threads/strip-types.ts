/** A text for which the stripper itself broke; it cannot be used again. */
export class StripperBroke extends Error {
  override readonly name = "StripperBroke";
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
    const { message } = error as { readonly message?: unknown };
    throw new SyntaxError(typeof message === "string" ? message : "is no TypeScript", { cause: error });
  }
}
