/**
 * The identity of a value index.
 *
 * @param {import("@sallyport/storage").AttributeIndex} index
 */
export function indexKey({ className, attribute, type }) {
  return `${className} ${attribute} ${type}`;
}
