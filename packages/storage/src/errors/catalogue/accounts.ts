import type { Entries } from "./entry.ts";

/** Codes of log-ins, log-outs, bans, seats and identity providers. */
export const accounts = {
  301: {
    status: 400,
    name: "User and password are missing",
    condition: "`user` or `pass` is absent, blank, too long or not a string.",
    meaning: "A log-in has no usable user name or no usable password.",
    causes: [
      "`user` or `pass` is missing, blank or not a string.",
      "A value has more than 1,024 characters.",
      "The members have other names, such as `username` or `password`.",
    ],
    actions: ["Send `user` and `pass` as strings of 1 to 1,024 characters."],
  },
  302: {
    status: 403,
    name: "User and password are invalid",
    condition: "The user is unknown or disabled, the password is wrong, or too many attempts have failed.",
    meaning:
      "The log-in failed. The response and its timing are the same for all causes, so that they do not reveal which users exist.",
    causes: [
      "The user name or the password is wrong. User names are compared exactly.",
      "The user is disabled.",
      "A lockout is active, because too many log-ins of the user or the network failed. The response then has `Retry-After`, and the right password fails, too.",
      "The client sends the wrong form of the password: see `clientHash` in [Passwords](../../guides/passwords.md).",
    ],
    actions: [
      "Ask the user for the credentials again. Do not retry automatically: every failure counts.",
      "If the response has `Retry-After`, wait for that number of seconds.",
      "An operator finds the log-in in the [audit](../../guides/operate.md#audit). The limits are `THROTTLE_USER_…` and `THROTTLE_IP_…`.",
    ],
  },
  306: {
    status: 403,
    name: "License login failed",
    condition: "No free seat is left for one of the app names.",
    meaning: "No licence seat is free for an app name of the log-in or the reservation.",
    causes: [
      "The sessions of other users or devices have all seats of the app name.",
      "Clients do not log out, and send no `device.deviceId`. Each of their sessions has a seat of its own until it expires.",
    ],
    actions: [
      "Log out elsewhere, release the seat, or wait until a session expires.",
      "Send `device.deviceId` with the log-in. Sessions of one user on one device share a seat.",
      'An operator raises the seats with "app seats". See [Licence seats](../../guides/licences.md).',
    ],
  },
  309: {
    status: 400,
    name: "Public key is invalid",
    condition: "`publicKey` is not an acceptable RSA key.",
    meaning: "The public key of an encrypted log-in is not acceptable.",
    causes: [
      "The value is not an RSA public key in PEM or DER.",
      "The key has less than 2,048 or more than 4,096 bits, or an exponent other than 65537.",
      "The value is a certificate, a private key, or the public key of the server.",
    ],
    actions: ["Send an RSA public key in one of the [accepted forms](../../guides/secure-mode.md#publickey)."],
  },
  310: {
    status: 400,
    name: "Credentials data are invalid",
    condition: "`credentials` cannot be decrypted or were used before.",
    meaning:
      "The server cannot accept the encrypted credentials. The response never reveals the cause and takes at least 250 ms.",
    causes: [
      "The client used an old key of the server, or another padding or hash than the server expects.",
      "The value is not strict base64, has an incomplete block, or has more than 16 blocks.",
      "The decrypted text is not a JSON object in UTF-8, or has a duplicate member.",
      "The same message was sent with another `publicKey`, more than three times, or after 60 seconds.",
    ],
    actions: [
      "Fetch the key of the server again. If `keyId` changed, encrypt again and retry once.",
      "Encrypt again for every log-in.",
      "Compare your code with the [test vectors](../../guides/secure-mode.md#test-vectors).",
    ],
  },
  312: {
    status: 400,
    name: "Body JSON or symmetric key are invalid",
    condition: "An encrypted message has an invalid encoding or sequence, or its plaintext is not JSON.",
    meaning: "The server cannot decrypt a message of a secure session.",
    causes: [
      "The request has a body and no header `Encrypted`, or the header is malformed.",
      "The counter block has the wrong direction, prefix or block number.",
      "The message number was used before, or is more than 1,024 below the highest one.",
      "The body is not base64, or the decrypted text is not JSON in UTF-8. The key is then usually wrong.",
    ],
    actions: [
      "Retry once with the next message number. Then log in again.",
      "Use one session in one process. Two processes that share a session repeat message numbers.",
      "Compare your code with the [worked example](../../guides/secure-mode.md#a-worked-example).",
    ],
  },
  314: {
    status: 500,
    name: "Symmetric key is missing or is invalid",
    condition: "The session key cannot be decrypted.",
    meaning: "The server cannot decrypt the key of the secure session. The response is not encrypted.",
    causes: ["The master key changed since the log-in.", "The servers of an installation have different master keys."],
    actions: [
      "Log in again. The log-out works with this session, too.",
      "An operator configures the same master key on all servers. See [The keys of the server](../../guides/keys.md).",
    ],
  },
  315: {
    status: 429,
    name: "Session load limit reached",
    condition: "The database or the user has reached the limit of active sessions.",
    meaning: "The database or the user has as many sessions as the configuration allows.",
    causes: [
      "The database has `SESSION_LIMIT` sessions, or the user has `SESSION_PER_USER_LIMIT` sessions.",
      "Clients do not log out, and send no `device.deviceId`.",
    ],
    actions: [
      "Log out elsewhere, or wait until a session expires.",
      "Send `device.deviceId` with the log-in. A log-in of the same device then ends its least recently used session.",
      "An operator raises the limit.",
    ],
  },
  318: {
    status: 403,
    name: "Device or user is banned",
    condition: "Device management bans the device or the user.",
    meaning:
      "An administrator has banned the device, the user or the address, or the database admits registered devices only.",
    causes: [
      "A ban of the user, the device, the user on the device, or the address is in force.",
      "With `DEVICES_POLICY=registered`: the log-in has no `device.deviceId`, or the device is not registered.",
    ],
    actions: [
      'An administrator lists the bans with "ban list" and removes one with "ban remove". See [Devices, bans and app rules](../../guides/devices.md).',
      'An administrator registers the device with "device register".',
    ],
  },
  323: {
    status: 400,
    name: "License release failed",
    condition: "The session does not have the seat to release.",
    meaning: "The session does not have an app name that it releases.",
    causes: ["The session was opened without the app name and has not reserved it.", "It has released it already."],
    actions: ["Treat the seat as released."],
  },
  324: {
    status: 400,
    name: "Cannot assign DF user to oAuth account",
    condition: "The provider account cannot be linked to a database user.",
    meaning:
      "The server cannot bind the account of the identity provider to a database user, or the provider log-in is not proven. The log has the exact reason.",
    causes: [
      "The user cancelled at the provider, or the provider refused the log-in.",
      "The callback came twice, after more than ten minutes, or in another browser than the start of the log-in.",
      "`dfUuid` or the return code is missing, unknown, used, expired, or of another app key.",
      "The provider account is bound to a user already, or a hook refused it.",
      "The clock of the server is wrong, so that the token of the provider is not valid.",
    ],
    actions: [
      "Start a new log-in.",
      "An operator finds `provider.refused` in the audit and the details in the [log](../../guides/identity-providers.md#what-goes-wrong-and-how-to-see-it).",
    ],
  },
  403: {
    status: 403,
    name: "App is inaccessible",
    condition: "Device management forbids an app for this user or device.",
    meaning: "A rule forbids an app name of the log-in or the reservation for this user, device or group.",
    causes: [
      "The most specific rule about the app name forbids it: of the user on the device, the user, the device, a group, or everyone.",
      "A rule forbids the app name for everyone, and no rule allows it for this user.",
    ],
    actions: [
      "Log in without the app name.",
      'An administrator lists the rules with "app rules" and changes them. See [Devices, bans and app rules](../../guides/devices.md#allow-and-forbid-app-names).',
    ],
  },
  608: {
    status: 400,
    name: "External user config is invalid",
    condition: "The additional data of the provider is incomplete.",
    meaning: "The settings of the identity provider are incomplete, or the provider refuses them.",
    causes: [
      "A member of the additional data is missing or malformed.",
      "The provider does not accept the client id or the secret. A secret at Microsoft expires.",
      "Apple: the server cannot read the key file of `keyPath`, or other users can read it.",
      "The data were encrypted with another master key.",
    ],
    actions: [
      "Run `sallyport-server provider test` and read its output.",
      "Register the provider again. See [Identity providers](../../guides/identity-providers.md#what-to-enter-at-the-providers).",
    ],
  },
  698: {
    status: 400,
    name: "OAuth strategy not registered properly",
    condition: "The identity provider is unknown or has no entry in the database.",
    meaning: "The identity provider is not available in this database.",
    causes: [
      "The name in the path is unknown. The names are `google`, `facebook`, `microsoft` and `apple`.",
      "`oAuthProviders` of the configuration does not enable the provider.",
      "The provider is not registered in this database.",
    ],
    actions: [
      "Check the name with `sallyport --local provider list`.",
      "Enable the provider and register it. See [Identity providers](../../guides/identity-providers.md#enable-providers).",
    ],
  },
  703: {
    status: 500,
    name: "Unable to logout",
    condition: "Storage failed to end the session. The session is unchanged.",
    meaning: "The log-out failed. The session is unchanged and still live.",
    causes: ["The database failed, refused the write, or became unreachable during the log-out."],
    actions: [
      "Send the log-out again. Otherwise the session ends by its time-out.",
      "An operator looks up the cause in the log by `X-Request-Id`.",
    ],
  },
} satisfies Entries;
