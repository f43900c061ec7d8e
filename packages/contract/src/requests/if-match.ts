const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const list = new RegExp(`^[\\t ]*${entityTag}(?:[\\t ]*,[\\t ]*${entityTag})*[\\t ]*$`);
const version = /(?<!W\/)"([1-9]\d{0,9})"/g;

/**
 * The versions that a header `If-Match` names; `null` when any will do, because there is no such header or it is `*`. Tags
 * that are weak or none of ours name no version, and a header that is malformed names none at all: nothing matches.
 */
export function parseIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || /^[\t ]*\*[\t ]*$/.test(header)) return null;
  return list.test(header) ? Array.from(header.matchAll(version), ([, digits]) => Number(digits)) : [];
}
