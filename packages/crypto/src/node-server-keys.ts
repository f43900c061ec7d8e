import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  hash,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import { promisify } from "node:util";
import type {
  ImportedKey,
  KeyRefusal,
  NewServerKey,
  PublicJwk,
  ServerKeyKind,
  ServerKeyPair,
  ServerKeys,
  ServerPublicKey,
} from "@sallyport/core";
import forge from "node-forge";

const generate = promisify(generateKeyPair);

/** Key pairs with Node, PEM text with node-forge. */
export class NodeServerKeys implements ServerKeys {
  async generate(spec: NewServerKey): Promise<ServerKeyPair> {
    const { privateKey } =
      spec.kind === "rsa"
        ? await generate("rsa", { modulusLength: spec.bits ?? 2048, publicExponent: 65_537 })
        : await generate("ec", { namedCurve: "prime256v1" });
    return pairOf(spec.kind, privateKey);
  }

  import(kind: ServerKeyKind, pem: string, passphrase = ""): ImportedKey {
    const part = findPrivateKey(pem);
    if (typeof part === "string") return { refused: part };
    if (part.encrypted && passphrase === "") return { refused: "passphraseMissing" };
    let key: KeyObject;
    try {
      key = createPrivateKey({ key: part.pem, ...(part.encrypted && { passphrase }) });
    } catch (error) {
      return { refused: part.encrypted && !isUnsupported(error) ? "passphraseWrong" : "damaged" };
    }
    const refused = examinePrivateKey(kind, key);
    return refused === undefined ? { pair: pairOf(kind, key) } : { refused };
  }

  restore(kind: ServerKeyKind, privateKey: Uint8Array): ServerKeyPair | undefined {
    try {
      const key = createPrivateKey({ key: Buffer.from(privateKey), format: "der", type: "pkcs8" });
      return examinePrivateKey(kind, key) === undefined ? pairOf(kind, key) : undefined;
    } catch {
      return undefined;
    }
  }

  jwk({ kind, keyId, publicKey }: ServerPublicKey): PublicJwk {
    const { kty, crv, x, y } = createPublicKey(publicKey).export({ format: "jwk" });
    if (kind !== "jwt" || kty !== "EC" || crv !== "P-256" || x === undefined || y === undefined) {
      throw new TypeError("only token keys can be published as JWK");
    }
    return { kty, crv, x, y, kid: keyId, use: "sig", alg: "ES256" };
  }
}

function pairOf(kind: ServerKeyKind, privateKey: KeyObject): ServerKeyPair {
  const publicKey = createPublicKey(privateKey);
  return {
    kind,
    keyId: thumbprint(publicKey),
    publicKey: publicKeyPem(publicKey),
    privateKey: new Uint8Array(privateKey.export({ type: "pkcs8", format: "der" })),
  };
}

/** Whether Node lacks the file's encryption algorithm, so that no passphrase would help. */
function isUnsupported(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.includes("UNSUPPORTED");
}

/** The only private key of a PEM file. */
export interface PrivateKeyPart {
  readonly pem: string;
  readonly encrypted: boolean;
}

const anyPart = /-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----/gs;
const encryptedHeader = "Proc-Type: 4,ENCRYPTED";

/** Finds the private key in a PEM file. The file can also contain parameters or certificates. */
function findPrivateKey(text: string): PrivateKeyPart | KeyRefusal {
  const parts = [...text.matchAll(anyPart)].map(([pem, label]) => ({ pem, label: label ?? "" }));
  const [part, second] = parts.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  if (part !== undefined && second === undefined) {
    return { pem: part.pem, encrypted: part.label.startsWith("ENCRYPTED") || part.pem.includes(encryptedHeader) };
  }
  if (part !== undefined) return "notPem";
  const has = (ending: string) => parts.some(({ label }) => label.endsWith(ending));
  if (has("PUBLIC KEY")) return "publicKey";
  return has("CERTIFICATE") ? "certificate" : "notPem";
}

const exponent = 65_537n;
const sizes = { min: 2048, between: 3072, max: 4096 };

/** The reason why a private key cannot be a server key of this kind, `undefined` if it can. */
function examinePrivateKey(kind: ServerKeyKind, key: KeyObject): KeyRefusal | undefined {
  return (kind === "rsa" ? examineRsa : examineEc)(key);
}

function examineRsa(key: KeyObject): KeyRefusal | undefined {
  if (key.asymmetricKeyType !== "rsa") return "wrongType";
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < sizes.min) return "tooSmall";
  if (modulusLength > sizes.max) return "tooLarge";
  if (!Object.values(sizes).includes(modulusLength)) return "unusualSize";
  if (publicExponent !== exponent) return "exponent";
  return isKeyPair(() => {
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
  return isKeyPair(() => {
    const message = randomBytes(32);
    return verify("sha256", message, createPublicKey(key), sign("sha256", message, key));
  });
}

/** A damaged key can give wrong results or make the library throw. */
function isKeyPair(works: () => boolean): KeyRefusal | undefined {
  try {
    return works() ? undefined : "inconsistent";
  } catch {
    return "inconsistent";
  }
}

/** OpenSSL silently corrects some wrong numbers, at the cost of time. */
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

/** The public key as PEM with CRLF line ends, as clients of this protocol expect. */
function publicKeyPem(key: KeyObject): string {
  const body = key.export({ type: "spki", format: "der" }).toString("latin1");
  return forge.pem.encode({ type: "PUBLIC KEY", body });
}

/** The JWK thumbprint of a key (RFC 7638), with SHA-256, in base64url. */
export function thumbprint(key: KeyObject): string {
  const { kty, n, e, crv, x, y } = key.export({ format: "jwk" });
  const members = kty === "RSA" ? { e, kty, n } : { crv, kty, x, y };
  return hash("sha256", JSON.stringify(members), "base64url");
}
