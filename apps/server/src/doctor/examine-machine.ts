import { X509Certificate } from "node:crypto";
import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ServiceError } from "@sallyport/storage";
import { MailerUnusable } from "@sallyport/core";
import { isLocal, parseAddress } from "@sallyport/storage-knex/server-address";
import { forbiddenBecause, type Configuration, isLoopbackHost, secretFileFaults } from "../configuration/index.ts";
import { checkSuppliedFiles } from "../composition/supplied-files.ts";
import { openFileStores } from "../composition/storages/file-stores.ts";
import { createMailer, mailAdvice } from "../mail/create-mailer.ts";
import { type Diagnosis, found, orAllWell } from "./diagnosis.ts";

/** As `engines` of the package. */
const oldestNode = [20, 19] as const;

const day = 86_400_000;
/** Time to renew a certificate. */
const certificateMargin = 14 * day;

/** Examines what needs no database. */
export async function examineMachine(configuration: Configuration, nodeVersion: string): Promise<Diagnosis[]> {
  const parts = await Promise.all([
    [examineNode(nodeVersion)],
    configurationWarnings(configuration),
    examineSecrets(configuration),
    examineKeyFiles(configuration),
    examineCertificate(configuration),
    [await examineFiles(configuration)],
    [await examineMail(configuration)],
    examinePublicUrl(configuration),
  ]);
  return parts.flat();
}

function examineNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return found("node", `Node.js ${version} is supported.`);
  const fix = `Install Node.js ${oldestNode.join(".")} or newer.`;
  return { check: "node", level: "error", finding: `Node.js ${version} is too old.`, fix };
}

/** Each warning begins with the path of its setting. A server without a master key is complete: `examineKeyFiles` tells what it cannot do. */
function configurationWarnings({ warnings }: Configuration): readonly Diagnosis[] {
  const findings = warnings.flatMap((finding): Diagnosis[] => {
    const path = finding.slice(0, finding.indexOf(":"));
    if (path === "encryption.masterKey") return [];
    return [{ check: "configuration", level: "warning", finding, fix: `Correct ${path}, or accept it.` }];
  });
  return orAllWell(findings, found("configuration", "The configuration is valid."));
}

/** Secrets that are easy to guess. */
function examineSecrets({ encryption, licences, demo, production, databases }: Configuration): readonly Diagnosis[] {
  const findings: Diagnosis[] = [];
  const warn = (finding: string, fix: string) => findings.push({ check: "secrets", level: "warning", finding, fix });
  const masterKey = encryption.masterKey === undefined ? null : Buffer.from(encryption.masterKey, "base64");
  // A random key of 32 bytes has some 30 different ones.
  if (masterKey !== null && new Set(masterKey).size < 16)
    warn(
      "The master key is not random.",
      "Generate one with 'openssl rand -base64 32' before the server stores secrets.",
    );
  const { secret } = licences.statistics;
  if (secret !== undefined && new Set(secret).size < 8)
    warn("The secret of the licence messages is not random.", "Generate one with 'openssl rand -base64 32'.");
  for (const { storage } of databases) {
    if (storage === null || storage.engine === "memory" || storage.engine === "embedded") continue;
    if (storage.engine === "module") continue;
    const { hosts, password, user } = parseAddress(storage.url);
    if (hosts.every(isLocal)) continue;
    if (password !== "" && [user, ...usualPasswords].includes(password))
      warn(`The password of the database role "${user}" is easy to guess.`, "Give the role a random password.");
  }
  if (demo && production) warn("The demo runs in production.", "Write a configuration file.");
  return orAllWell(findings, found("secrets", "No secret is a default."));
}

const usualPasswords = ["postgres", "mariadb", "mysql", "root", "password", "secret", "sallyport", "test"];

async function examineKeyFiles(configuration: Configuration): Promise<readonly Diagnosis[]> {
  const { encryption, secretFiles, demoMasterKeyFile } = configuration;
  try {
    checkSuppliedFiles(configuration);
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    return [{ check: "keys", level: "error", finding, fix: "Correct the file, or the setting that names it." }];
  }
  const faults = secretFileFaults(secretFiles);
  if (faults.length > 0)
    return faults.map(({ fault, fix }): Diagnosis => ({ check: "keys", level: "warning", finding: fault, fix }));
  if (encryption.masterKey === undefined && demoMasterKeyFile === null)
    return [found("keys", "No master key is configured: token, encrypted and secure log-ins fail with 705.")];
  const well =
    secretFiles.length === 0 ? "No key files are configured." : "The key files are readable by the server only.";
  return [found("keys", well)];
}

async function examineCertificate({ server: { tls } }: Configuration): Promise<readonly Diagnosis[]> {
  if (tls.certificateFile === undefined) return [];
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(await readFile(tls.certificateFile));
  } catch {
    // `examineKeyFiles` reports it.
    return [];
  }
  const until = Date.parse(certificate.validTo);
  const left = until - Date.now();
  const date = new Date(until).toISOString().slice(0, 10);
  if (left > certificateMargin) return [found("certificate", `The TLS certificate is valid until ${date}.`)];
  const [level, verb] = left > 0 ? (["warning", "expires"] as const) : (["error", "expired"] as const);
  const fix = "Renew the certificate, and restart the server.";
  return [{ check: "certificate", level, finding: `The TLS certificate ${verb} on ${date}.`, fix }];
}

async function examineFiles(configuration: Configuration): Promise<Diagnosis> {
  const { store, directory, s3 } = configuration.files;
  if (store === "s3") {
    try {
      const stores = await openFileStores(configuration);
      for (const { alias } of configuration.databases) await stores.of(alias).prepare();
      return found("files", `The bucket "${s3.bucket}" can be read.`);
    } catch (error) {
      const reason = error instanceof ServiceError ? (error.detail ?? error.message) : String(error);
      const fix = "Check files.s3, the keys and their rights on the bucket, and that the endpoint can be reached.";
      return { check: "files", level: "error", finding: `The bucket "${s3.bucket}" cannot be used: ${reason}`, fix };
    }
  }
  // Does not create the folder, which could then belong to another user than that of the server.
  const folder = await existing(directory);
  const isWritable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => stat(folder).then((status) => status.isDirectory()),
    () => false,
  );
  if (isWritable) return found("files", `Files can be stored in ${directory}.`);
  const finding = `No files can be stored in ${directory}: this user cannot write to ${folder}${forbiddenBecause(folder)}.`;
  return {
    check: "files",
    level: "error",
    finding,
    fix: "Give the user of the server write access, or set files.directory (FILES_DIRECTORY) or DATA_DIR.",
  };
}

/** The path, or the nearest parent that exists. */
async function existing(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : existing(dirname(path));
}

async function examineMail(configuration: Configuration): Promise<Diagnosis> {
  try {
    const mailer = await createMailer(configuration);
    if (mailer === null) return found("mail", "Mail is not configured. Password resets by mail fail with 712.");
    try {
      await mailer.verify();
    } finally {
      await mailer.close();
    }
    return found("mail", "The mail transport accepts messages.");
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    const advice = error instanceof MailerUnusable ? mailAdvice.get(error.errorCode) : undefined;
    return { check: "mail", level: "error", finding, fix: advice ?? "Check the section mail of the configuration." };
  }
}

/** Providers redirect browsers to the callback addresses. */
function examinePublicUrl({ oAuthProviders, server: { publicUrl }, demo }: Configuration): readonly Diagnosis[] {
  if (publicUrl === undefined || oAuthProviders.length === 0 || demo) return [];
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === "https:" || isLoopbackHost(hostname))
    return [found("callbacks", `Identity providers return to ${publicUrl}.`)];
  const finding = `Identity providers return to ${publicUrl}, over plain HTTP. Most of them refuse it.`;
  return [{ check: "callbacks", level: "error", finding, fix: "Set server.publicUrl to an https URL." }];
}
