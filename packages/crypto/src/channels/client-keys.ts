import { createPublicKey, hash } from "node:crypto";
import { type Digest, LruCache } from "@sallyport/storage";
import { type ClientKey, type ClientKeyParser } from "@sallyport/core";
import forge from "node-forge";
import { memoizeByKey } from "../digests-and-random.ts";
import { thumbprint } from "../node-server-keys.ts";
import { strictBase64 } from "../strict-base64.ts";

/** A client key as a Node key object. */
export const clientKeyObject = memoizeByKey(({ spki }: ClientKey) =>
  createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" }),
);

const maxTextLength = 8_192;
const bitRange = { min: 2048, max: 4096 };
const exponent = 65_537;
/** Upper bound for an accepted key. Longer input is refused without parsing. */
const maxDerLength = 600;
/** Minimum number of cached keys. Clients often log in again with the same key. */
const cacheSize = 100;

interface ParsedKey {
  readonly client: ClientKey;
  readonly keyId: string;
}

/** Parses keys with node-forge. Encodes modulus and exponent again, so that each key has one digest in every form. */
export class ForgeClientKeyParser implements ClientKeyParser {
  /** By the SHA-256 of the text. */
  readonly #recent = new LruCache<Digest, ParsedKey>(cacheSize);

  parse(text: string, ownKeyIds: Iterable<string>): ClientKey | undefined {
    if (text.length > maxTextLength) return undefined;
    const digest = hash("sha256", text, "hex");
    const cached = this.#recent.get(digest);
    const parsed = cached ?? this.#read(text);
    if (parsed === undefined) return undefined;
    if (cached === undefined) this.#recent.set(digest, parsed);
    for (const own of ownKeyIds) if (own === parsed.keyId) return undefined;
    return parsed.client;
  }

  #read(text: string): ParsedKey | undefined {
    const bytes = readPublicKeyText(text);
    const numbers = bytes && readNumbers(bytes);
    if (numbers === undefined) return undefined;

    const bits = numbers.n.bitLength();
    if (bits < bitRange.min || bits > bitRange.max || !isOdd(numbers.n)) return undefined;
    if (numbers.e.compareTo(new forge.jsbn.BigInteger(String(exponent))) !== 0) return undefined;

    const spki = Buffer.from(spkiOf(numbers), "latin1");
    const client = { digest: hash("sha256", spki, "hex"), bits, spki: new Uint8Array(spki) };
    return { client, keyId: thumbprint(clientKeyObject(client)) };
  }
}

type Numbers = Pick<forge.pki.rsa.PublicKey, "n" | "e">;

/** Modulus and exponent, if the bytes are exactly node-forge's encoding of them. */
function readNumbers({ der, form }: PublicKeyBytes): Numbers | undefined {
  if (der.length > maxDerLength) return undefined;
  const binary = der.toString("latin1");
  let key: Numbers;
  try {
    key = forge.pki.publicKeyFromAsn1(forge.asn1.fromDer(binary)) as forge.pki.rsa.PublicKey;
  } catch {
    return undefined;
  }
  const isSpki = form !== "pkcs1" && spkiOf(key) === binary;
  const isPkcs1 = form !== "spki" && pkcs1Of(key) === binary;
  return isSpki || isPkcs1 ? key : undefined;
}

function spkiOf(key: Numbers): string {
  return forge.asn1.toDer(forge.pki.publicKeyToAsn1(key as forge.pki.rsa.PublicKey)).getBytes();
}

function pkcs1Of(key: Numbers): string {
  return forge.asn1.toDer(forge.pki.publicKeyToRSAPublicKey(key as forge.pki.rsa.PublicKey)).getBytes();
}

function isOdd(number: forge.jsbn.BigInteger): boolean {
  return number.testBit(0);
}

/** DER bytes, with their structure if the text names it. */
interface PublicKeyBytes {
  readonly der: Buffer;
  /** `undefined`: bare DER of either structure. */
  readonly form: "spki" | "pkcs1" | undefined;
}

const pem = /^-----BEGIN (RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END (RSA )?PUBLIC KEY-----$/;

/** Extracts the DER of a client key: PEM, base64 of PEM, or base64 of DER. */
function readPublicKeyText(text: string): PublicKeyBytes | undefined {
  const bare = text.trim();
  if (bare.startsWith("-----")) return readPem(bare);
  const bytes = readBase64(bare);
  if (bytes === undefined) return undefined;
  const inner = bytes.toString("latin1").trim();
  return inner.startsWith("-----") ? readPem(inner) : { der: bytes, form: undefined };
}

function readPem(text: string): PublicKeyBytes | undefined {
  const match = pem.exec(text);
  if (match === null) return undefined;
  const [, beginType, body = "", endType] = match;
  if (beginType !== endType) return undefined;
  const der = readBase64(body);
  return der && { der, form: beginType === undefined ? "spki" : "pkcs1" };
}

/** Decodes base64 or base64url, not a mixture, with or without line breaks and padding. */
function readBase64(text: string): Buffer | undefined {
  const digits = text.replaceAll(/[ \t\r\n]+/g, "");
  if (digits === "") return undefined;
  const encoding = /[-_]/.test(digits) ? "base64url" : "base64";
  // `strictBase64` requires padding in base64 and none in base64url. Wrong padding stays, so that it is refused.
  const bare = digits.length % 4 === 0 ? digits.replace(/={1,2}$/, "") : digits;
  const padding = encoding === "base64" ? "=".repeat(-bare.length & 3) : "";
  return strictBase64(bare + padding, encoding);
}
