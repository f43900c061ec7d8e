import { hash } from "node:crypto";
import type { ClientKey, ClientKeyParser } from "@sallyport/core";
import forge from "node-forge";
import { thumbprint } from "../keys/thumbprint.ts";
import { clientKeyObject } from "./client-key-object.ts";
import { readPublicKeyText, type PublicKeyBytes } from "./read-public-key-text.ts";

const longestText = 8_192;
const sizes = { smallest: 2048, largest: 4096 };
const exponent = 65_537;
/** The largest key that is accepted fits in; what is longer need not be taken apart to be refused. */
const longestDer = 600;

/** Reads keys with node-forge, and keeps of them the two numbers only: what is handed on is written anew. */
export class ForgeClientKeyParser implements ClientKeyParser {
  parse(text: string, ownKeyIds: Iterable<string>): ClientKey | undefined {
    if (text.length > longestText) return undefined;
    const bytes = readPublicKeyText(text);
    const numbers = bytes && readNumbers(bytes);
    if (numbers === undefined) return undefined;

    const bits = numbers.n.bitLength();
    if (bits < sizes.smallest || bits > sizes.largest || !isOdd(numbers.n)) return undefined;
    if (numbers.e.compareTo(new forge.jsbn.BigInteger(String(exponent))) !== 0) return undefined;

    const spki = Buffer.from(spkiOf(numbers), "latin1");
    const client = { digest: hash("sha256", spki, "hex"), bits, spki: new Uint8Array(spki) };
    const keyId = thumbprint(clientKeyObject(client));
    for (const own of ownKeyIds) if (own === keyId) return undefined;
    return client;
  }
}

type Numbers = Pick<forge.pki.rsa.PublicKey, "n" | "e">;

/** Modulus and exponent, if the bytes are exactly what node-forge would write for them. */
function readNumbers({ der, form }: PublicKeyBytes): Numbers | undefined {
  if (der.length > longestDer) return undefined;
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
