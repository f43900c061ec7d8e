/**
 * Deep equality of data. Ignores member order. Distinguishes an absent member from `undefined`. Ignores prototypes,
 * because values can come from another realm.
 */
export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && same(member(one, name), member(other, name)))
  );
}

/** Reads an own member, even `__proto__`. */
function member(object: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value;
}
