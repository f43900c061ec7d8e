const className = /^(?=.*[a-z])[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** Whether a text can be the name of a class. At least one lowercase letter tells it from an object id. */
export function isClassName(text: string): boolean {
  return className.test(text);
}

const attributeName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** Whether a text can be the name of an attribute. */
export function isAttributeName(text: string): boolean {
  return attributeName.test(text);
}
