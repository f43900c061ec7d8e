/**
 * What tells an index over values apart from others.
 *
 * @param {import("@sallyport/core").AttributeIndex} index
 */
export function indexKey({ className, attribute, type }) {
  return `${className} ${attribute} ${type}`;
}
