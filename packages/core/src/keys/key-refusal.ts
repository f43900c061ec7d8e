/** Why the private key of a file cannot serve, as the reason's name and a sentence for whoever starts the server. */
export const keyRefusals = {
  notPem: "It is not a PEM file with one private key.",
  publicKey: "It holds a public key, and the private key is needed.",
  certificate: "It holds a certificate, and the private key is needed.",
  passphraseMissing: "It is encrypted, and no passphrase is configured.",
  passphraseWrong: "It cannot be decrypted with the configured passphrase.",
  damaged: "It cannot be read: its contents are damaged, or its form is not supported.",
  wrongType: "It is of another type: secure log-in needs RSA, tokens need EC.",
  wrongCurve: "It is on another curve: tokens need P-256.",
  tooSmall: "It is too small: RSA needs 2048 bits at least.",
  tooLarge: "It is too large: RSA may have 4096 bits at most.",
  unusualSize: "It has an unusual size: RSA needs 2048, 3072 or 4096 bits.",
  exponent: "Its public exponent is not 65537.",
  inconsistent: "Its private and its public part do not belong together.",
} as const;

export type KeyRefusal = keyof typeof keyRefusals;
