/** As of RFC 5321: local part and whole. */
const [longestLocalPart, longestAddress] = [64, 254];

/** Letters, digits and marks of any script besides the signs of RFC 5322. */
const localPart = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;

const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}])?";
/** Among letters and marks there are some that nothing is seen of: fillers, joiners, selectors of variants. */
const unseen = /\p{Default_Ignorable_Code_Point}/u;

const domain = new RegExp(`^${label}(?:\\.${label})*$`, "u");

/**
 * The text in its composed form if it is one bare address: no name before it, no comment, no quotes, no list, nothing invisible; else `null`. Whether somebody
 * reads what is sent there, nobody can tell.
 */
export function mailAddress(text: string): string | null {
  const address = text.normalize("NFC");
  const at = address.lastIndexOf("@");
  const [local, host] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  const fits = address.length <= longestAddress && local.length <= longestLocalPart;
  return fits && !unseen.test(address) && localPart.test(local) && domain.test(host) ? address : null;
}
