import { choice, field, flag, optionalField, path, section, text } from "../fields/index.ts";

const masterKey = text({
  wanted: "base64 of 32 bytes, as `openssl rand -base64 32` prints it",
  fits: (value) =>
    Buffer.from(value, "base64").length === 32 && Buffer.from(value, "base64").toString("base64") === value,
});

/** Keys of the server, for tokens and for encrypted log-ins. */
export const encryptionSection = section({
  masterKey: optionalField(masterKey, {
    env: "MASTER_KEY",
    secret: true,
    doc: "Everything secret that is stored is wrapped under it: base64 of 32 random bytes. Without it token and secure log-in answer 705.",
  }),
  rsaBits: field(choice("2048", "3072", "4096"), {
    env: "RSA_BITS",
    default: "2048",
    doc: "Size of the RSA key pairs that the server makes for encrypted log-ins.",
  }),
  rsaKeyFile: optionalField(path(), {
    env: "RSA_KEY_FILE",
    doc: "PEM file with an RSA private key to use instead of one that the server makes.",
  }),
  rsaKeyPassphrase: optionalField(text(), {
    env: "RSA_KEY_PASSPHRASE",
    secret: true,
    doc: "Passphrase of `rsaKeyFile`.",
  }),
  jwtKeyFile: optionalField(path(), {
    env: "JWT_KEY_FILE",
    doc: "PEM file with a P-256 private key that signs tokens, instead of one that the server makes.",
  }),
  jwtKeyPassphrase: optionalField(text(), {
    env: "JWT_KEY_PASSPHRASE",
    secret: true,
    doc: "Passphrase of `jwtKeyFile`.",
  }),
  legacyPkcs1: field(flag(), {
    env: "LEGACY_PKCS1",
    default: true,
    doc: "Whether credentials padded by PKCS#1 v1.5 are taken, as old clients send them.",
  }),
});
