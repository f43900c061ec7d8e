const macroName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Whether a text can be the name of a macro. */
export function isMacroName(text: string): boolean {
  return macroName.test(text);
}
