import {
  constants,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import type { KeyRefusal, ServerKeyKind } from "@sallyport/core";

const exponent = 65_537n;
const sizes = { smallest: 2048, between: 3072, largest: 4096 };

/** Why a private key cannot serve as a key of the server of this kind; `undefined` if it can. */
export function examinePrivateKey(kind: ServerKeyKind, key: KeyObject): KeyRefusal | undefined {
  return (kind === "rsa" ? examineRsa : examineEc)(key);
}

function examineRsa(key: KeyObject): KeyRefusal | undefined {
  if (key.asymmetricKeyType !== "rsa") return "wrongType";
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < sizes.smallest) return "tooSmall";
  if (modulusLength > sizes.largest) return "tooLarge";
  if (!Object.values(sizes).includes(modulusLength)) return "unusualSize";
  if (publicExponent !== exponent) return "exponent";
  return belongsTogether(() => {
    if (!hasMatchingNumbers(key)) return false;
    const message = randomBytes(modulusLength / 8);
    message[0] = 0;
    const padding = constants.RSA_NO_PADDING;
    const encrypted = publicEncrypt({ key: createPublicKey(key), padding }, message);
    return privateDecrypt({ key, padding }, encrypted).equals(message);
  });
}

function examineEc(key: KeyObject): KeyRefusal | undefined {
  if (key.asymmetricKeyType !== "ec") return "wrongType";
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") return "wrongCurve";
  return belongsTogether(() => {
    const message = randomBytes(32);
    return verify("sha256", message, createPublicKey(key), sign("sha256", message, key));
  });
}

/** A damaged key may give wrong results or make the library throw. */
function belongsTogether(works: () => boolean): KeyRefusal | undefined {
  try {
    return works() ? undefined : "inconsistent";
  } catch {
    return "inconsistent";
  }
}

/** OpenSSL makes up for some wrong numbers in silence, at the cost of time. */
function hasMatchingNumbers(key: KeyObject): boolean {
  const jwk = key.export({ format: "jwk" });
  const numberOf = (text = "") => BigInt(`0x${Buffer.from(text, "base64url").toString("hex")}`);
  const [n, d, p, q] = [numberOf(jwk.n), numberOf(jwk.d), numberOf(jwk.p), numberOf(jwk.q)];
  const invertsExponent = (inverse: bigint, modulus: bigint) => (exponent * inverse) % modulus === 1n;
  return (
    n === p * q &&
    [d, numberOf(jwk.dp)].every((inverse) => invertsExponent(inverse, p - 1n)) &&
    [d, numberOf(jwk.dq)].every((inverse) => invertsExponent(inverse, q - 1n)) &&
    (numberOf(jwk.qi) * q) % p === 1n
  );
}
