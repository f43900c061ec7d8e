const attributeName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** Whether a text can be the name of an attribute. */
export function isAttributeName(text: string): boolean {
  return attributeName.test(text);
}
