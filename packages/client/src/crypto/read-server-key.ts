import { decodeBase64 } from "@sallyport/contract/secure";
import { ChannelError } from "../errors/channel-error.ts";
import { blockLengthOf, type RsaKey } from "./rsa-key.ts";
import { type RsaPadding, rsaSchemes } from "./rsa-padding.ts";
import { webCrypto } from "./web-crypto.ts";

const pem = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/;
const smallest = 2048 / 8;

/** The server's key from its PEM text, for encrypting in this padding. */
export async function readServerKey(text: string, padding: RsaPadding): Promise<RsaKey> {
  const [, body = ""] = pem.exec(text.trim()) ?? [];
  const der = decodeBase64(body.replaceAll(/\s+/g, ""));
  if (der === undefined || der.length === 0) throw new ChannelError("server-key");
  const { subtle } = webCrypto();
  const algorithm = { name: "RSA-OAEP", hash: rsaSchemes[padding].hash };
  let key: RsaKey;
  try {
    key = await subtle.importKey("spki", new Uint8Array(der), algorithm, false, ["encrypt"]);
  } catch (cause) {
    throw new ChannelError("server-key", { cause });
  }
  if (blockLengthOf(key) < smallest) throw new ChannelError("server-key");
  return key;
}
