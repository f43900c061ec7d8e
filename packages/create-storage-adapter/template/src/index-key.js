/**
 * The identity of a value index.
 *
 * @param {import("@sallyport/core").AttributeIndex} index
 */
export function indexKey({ className, attribute, type }) {
  return `${className} ${attribute} ${type}`;
}
