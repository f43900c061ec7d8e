import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type {
  ImportedKey,
  NewServerKey,
  PublicJwk,
  ServerKeyKind,
  ServerKeyPair,
  ServerKeys,
  ServerPublicKey,
} from "@sallyport/core";
import { examinePrivateKey } from "./examine-private-key.ts";
import { findPrivateKey } from "./find-private-key.ts";
import { publicKeyPem } from "./public-key-pem.ts";
import { thumbprint } from "./thumbprint.ts";

const generate = promisify(generateKeyPair);

/** Key pairs by Node; their PEM text by node-forge. */
export class NodeServerKeys implements ServerKeys {
  async generate(wanted: NewServerKey): Promise<ServerKeyPair> {
    const { privateKey } =
      wanted.kind === "rsa"
        ? await generate("rsa", { modulusLength: wanted.bits ?? 2048, publicExponent: 65_537 })
        : await generate("ec", { namedCurve: "prime256v1" });
    return pairOf(wanted.kind, privateKey);
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
      throw new TypeError("only keys for tokens are published as JWK");
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

/** Whether the file asks for an algorithm that Node was built without, so that no passphrase could help. */
function isUnsupported(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.includes("UNSUPPORTED");
}
