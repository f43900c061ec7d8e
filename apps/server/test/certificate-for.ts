import { generateKeyPairSync } from "node:crypto";
import forge from "node-forge";

/** A key and its self-signed certificate for 127.0.0.1, for a number of days from now. */
export function certificateFor(days: number): { key: string; certificate: string } {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const key = forge.pki.privateKeyFromPem(privateKey);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(key.n, key.e);
  certificate.validity.notBefore = new Date(Date.now() - 90 * 86_400_000);
  certificate.validity.notAfter = new Date(Date.now() + days * 86_400_000);
  certificate.setExtensions([{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }]);
  certificate.sign(key, forge.md.sha256.create());
  return { key: privateKey, certificate: forge.pki.certificateToPem(certificate) };
}
