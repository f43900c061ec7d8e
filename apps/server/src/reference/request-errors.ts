import type { ErrorTexts } from "./error-text.ts";

/** Texts of the codes about requests, log-ins and passwords. */
export const requestErrors = {
  300: {
    meaning: "The route needs a body, and the request has none.",
    causes: ["The client sends no body.", "A redirect or a proxy drops the body of the request."],
    actions: ["Send the body that the route describes. Send the JSON `{}` where all members are optional."],
  },
  301: {
    meaning: "A log-in has no usable user name or no usable password.",
    causes: [
      "`user` or `pass` is missing, blank or not a string.",
      "A value has more than 1,024 characters.",
      "The members have other names, such as `username` or `password`.",
    ],
    actions: ["Send `user` and `pass` as strings of 1 to 1,024 characters."],
  },
  302: {
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
  304: {
    meaning:
      "Nothing that the caller can see exists at this path. An object or class that the caller cannot read has the same response as a missing one.",
    causes: [
      "The path is misspelled, or its alias is unknown.",
      "The object or the class does not exist, or the caller has no right to read it.",
      "The path has an encoded slash, a semicolon or a dot segment.",
      "`/v1/2fa/…`: the user has no second factor, or it is not confirmed and the route validates a token.",
      "`DELETE /v1/auth/links/{providerName}`: the user has no linked account at this provider.",
      "The field `path` of an upload names another folder than `/`.",
    ],
    actions: [
      "Compare the path with the [API description](../openapi.json). Paths begin with the alias, if the database has one.",
      "Check the id, and the rights of the user on the class and the [readers](../../guides/objects.md#readers) of the object.",
    ],
  },
  305: {
    meaning:
      "The path exists, but not with this method. The header `Allow` of the response lists the accepted methods.",
    causes: [
      "The client uses another method, such as `PUT` instead of `PATCH`.",
      "The client sends `HEAD`, which no route accepts.",
      "A browser sends a preflight, and no app key of the database lists its origin.",
    ],
    actions: [
      "Use a method of `Allow`.",
      "For a browser application, add its origin to the app key. See [In a browser](../../guides/client.md#in-a-browser).",
    ],
  },
  306: {
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
  307: {
    meaning:
      "A parameter or a member of the body is not acceptable, and no closer code exists. With `DEBUG_MESSAGES=true`, `debugMessage` has the JSON pointer and the reason.",
    causes: [
      "A value has the wrong type or is out of range. The server never converts strings to other types.",
      "A name is unknown: an attribute, an operator, a member of `query` or `serialization`.",
      "A mandatory attribute is missing, a reference leads to no object, or a name is taken.",
      "A number for a `json` attribute is not exact as a 64-bit float: 9007199254740993, 1e400, -0. Send it as a string.",
      "A limit is exceeded: 32 levels of nesting, 10,000 elements, 1,000 members, or the size of the response.",
      "The request has credentials and arrives over plain HTTP from another machine.",
      "`Idempotency-Key` is malformed, or was sent with another request.",
    ],
    actions: [
      "Set `DEBUG_MESSAGES=true` on a test server, repeat the request and read `debugMessage`.",
      "Validate the request against the [API description](../openapi.json).",
      "Use HTTPS. Behind a proxy that ends TLS, set `TRUSTED_PROXIES`.",
    ],
  },
  308: {
    meaning: "A query parameter that contains JSON does not parse. The parameters are `query` and `serialization`.",
    causes: ["The JSON has a syntax error.", "The value is not URL-encoded, so that `&`, `#`, `+` or `%` cut it."],
    actions: ["Serialize the value with a JSON library, then URL-encode it."],
  },
  309: {
    meaning: "The public key of an encrypted log-in is not acceptable.",
    causes: [
      "The value is not an RSA public key in PEM or DER.",
      "The key has less than 2,048 or more than 4,096 bits, or an exponent other than 65537.",
      "The value is a certificate, a private key, or the public key of the server.",
    ],
    actions: ["Send an RSA public key in one of the [accepted forms](../../guides/secure-mode.md#publickey)."],
  },
  310: {
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
  311: {
    meaning: "The body is not valid JSON.",
    causes: ["The JSON has a syntax error, or is cut off.", "The body is not UTF-8.", "The body is a form."],
    actions: ["Serialize the body with a JSON library, and send it as UTF-8."],
  },
  312: {
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
    meaning: "The server cannot decrypt the key of the secure session. The response is not encrypted.",
    causes: ["The master key changed since the log-in.", "The servers of an installation have different master keys."],
    actions: [
      "Log in again. The log-out works with this session, too.",
      "An operator configures the same master key on all servers. See [The keys of the server](../../guides/keys.md).",
    ],
  },
  315: {
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
  319: {
    meaning: "A change of password has no usable old password.",
    causes: [
      "`oldPassword` is missing, blank, not a string, or longer than 1,024 characters.",
      "With `encrypted: true`: the server cannot decrypt the value, or it was sent before.",
    ],
    actions: [
      "Send the current password as `oldPassword`, in the form of `pass` at the log-in.",
      "With `encrypted: true`, fetch the key of the server again and encrypt again.",
    ],
  },
  320: {
    meaning: "The new password is missing, or breaks the rules for passwords.",
    causes: [
      "`newPassword` is missing, blank, not a string, or longer than 1,024 characters.",
      "The password has less than 8 characters. The length of an MD5 digest is not checked.",
      "The password is in the list of breached passwords, or the user had it before.",
      "With `encrypted: true`: the server cannot decrypt the value.",
    ],
    actions: ["Choose another password. See the [rules](../../guides/passwords.md#password-rules)."],
  },
  321: {
    meaning: "The new password is the old one.",
    causes: ["`oldPassword` and `newPassword` are equal. With `clientHash: md5`, a password equals its MD5 digest."],
    actions: ["Choose another password."],
  },
  322: {
    meaning: "The member `encrypted` of a change of password has the wrong type.",
    causes: ['The client sends a string such as `"true"`, a number or `null`.'],
    actions: ["Send `true` or `false`, or omit the member."],
  },
  323: {
    meaning: "The session does not have an app name that it releases.",
    causes: ["The session was opened without the app name and has not reserved it.", "It has released it already."],
    actions: ["Treat the seat as released."],
  },
  324: {
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
  325: {
    meaning: "A request for a password reset has no usable user name.",
    causes: ["`user` is missing, blank, not a string, or longer than 1,024 characters."],
    actions: ["Send the user name as `user`. Unknown names get the same response as known ones."],
  },
  326: {
    meaning: "The confirmation code of a custom user is not valid.",
    causes: [
      "`confirmationCode` is missing, blank, wrong, used, or older than ten minutes.",
      "A later request replaced the code, or five codes were wrong.",
      "The session is not one of a custom user.",
      "A lockout is active. The response then has `Retry-After`.",
    ],
    actions: [
      "Enter the code of the latest mail. Case and hyphen do not matter.",
      "Request the change again with `POST /v1/changePassword`. See [Custom users](../../guides/custom-users.md#change-a-password).",
    ],
  },
  328: {
    meaning: "The token of a password reset is not valid.",
    causes: [
      "`resetPasswordToken` is missing, blank, unknown, used, or older than 30 minutes.",
      "The password changed after the mail was sent, or the user is disabled.",
    ],
    actions: ["Request another mail with `POST /v1/resetPassword`, and use the token of the latest mail."],
  },
  329: {
    meaning: "The parameter `query` is valid JSON, but not an object.",
    causes: ["The client sends an array, a string, a number or `null`."],
    actions: ["Send an object, such as `query={}`. See [Find objects](../../guides/queries.md)."],
  },
  330: {
    meaning:
      "The server cannot return the changes since this `syncVersion`. The header `Sync-Restart: 1` asks the client to begin again.",
    causes: [
      "The database, the schema, or groups or rights of the user have changed since this version, or the `query` is another one.",
      "The device was away longer than the database keeps tombstones (`sync.tombstones`).",
      "The database was restored, or the version is of another database.",
      "Without the header: `syncVersion` is a number, or no integer as text.",
    ],
    actions: [
      "With `Sync-Restart: 1`, pull from version `0` and keep the edits that were not pushed. See [Synchronize devices](../../guides/synchronisation.md#start-over).",
      'Without the header, correct the client: `syncVersion` is a text, such as `"0"`.',
      "`sallyport sync why` tells an administrator which part has changed.",
    ],
  },
  332: {
    meaning: "The body of a synchronization request is not acceptable.",
    causes: [
      "A member of the body is missing, unknown or out of range: `limit`, `cursor`, `wait`, `ops`, `fields`, `base`.",
      "A push has more than 1,000 operations, or an id or UUID twice.",
      "The operation id was used for another operation.",
      "A field is not in the schema, or the user cannot read or write it.",
      "The direction of the schema does not allow the call.",
      "The policy of the schema is `reject`, and the server has changed the field, too. The result of an operation in a push then has `conflicts` and `object`. After another call, pull the object.",
      "The `cursor` is of another schema, user, version or query.",
    ],
    actions: [
      "After a conflict, show the user both values, and push the decision as a new operation with the new version.",
      "Without the last `cursor`, repeat the pull from the version of the device.",
      "With `DEBUG_MESSAGES=true`, `debugMessage` names the place. See [Synchronize devices](../../guides/synchronisation.md#the-calls).",
    ],
  },
  333: {
    meaning: "The synchronization schema does not exist.",
    causes: [
      "The name in the path or in `schemaName` is misspelled.",
      "An administrator has removed the schema.",
      "A new schema has an invalid name: it begins with a letter and has up to 64 letters, digits, `_` and `-`.",
    ],
    actions: ["`GET /v1/sync` lists the schemas of the user, and `sallyport sync list` all schemas."],
  },
  334: {
    meaning: "The synchronization schema has no object with this UUID, neither live nor deleted.",
    causes: [
      "The object never existed, or its deletion is older than the database keeps tombstones.",
      "The object is of another class, or outside the filter of the schema.",
      "The user cannot read the object.",
    ],
    actions: [
      "Remove the object from the device. To create it, push it with version `0` and its class.",
      "`sallyport sync why` tells an administrator which of the causes it is. See [Synchronize devices](../../guides/synchronisation.md#why-is-an-object-not-on-a-device).",
    ],
  },
  335: {
    meaning: "The synchronization request names no schema.",
    causes: ["`POST /v1/sync` has no `schemaName` in its body."],
    actions: ["Send `schemaName`, or put the name into the path: `POST /v1/sync/{schema}`."],
  },
  336: {
    meaning: "The path and the body name different objects.",
    causes: ["`uuid` in the body is another one than in the path."],
    actions: ["Send the UUID in the path only."],
  },
  338: {
    meaning: "The synchronization request has no version.",
    causes: ["The body has no `syncVersion`."],
    actions: [
      'Send the version of the device, or `"0"` if it has nothing. For one object, send its `~Version` as text.',
    ],
  },
  339: {
    meaning: "The old password of a change of password is wrong.",
    causes: [
      "`oldPassword` is not the current password, or the password changed meanwhile.",
      "A lockout is active, because too many attempts failed. The response then has `Retry-After`.",
      "A hook authenticates the custom users, so their passwords are kept in another system.",
    ],
    actions: [
      "Ask the user for the current password. Every failure counts.",
      "If the response has `Retry-After`, wait for that number of seconds.",
      "For custom users of a hook, change the password in the other system.",
    ],
  },
  340: {
    meaning:
      "An app name of the log-in forces a second factor, and the user has none. A session that was opened to set one up returns 340 on all other routes.",
    causes: [
      "The rule of the app name is `forced`, and the user did not set up a second factor.",
      "The session was opened with `2faEnrol: true`.",
    ],
    actions: [
      'Log in with `"2faEnrol": true`, set up a factor at `/v1/2fa/secret`, then log in with a token. See [Two-factor log-in](../../guides/two-factor.md#forced-factors).',
    ],
  },
  341: {
    meaning: "The password is right, and the user has a second factor. The request has no token.",
    causes: ["The log-in has no `2faToken`, or a blank one.", "`/v1/2fa/…`: the body has no `token`, or a blank one."],
    actions: ["Ask the user for a token and repeat the request with it. A recovery code works in its place."],
  },
  342: {
    meaning: "The token of the second factor is not valid.",
    causes: [
      "The token is wrong, or more than 30 seconds early or late.",
      "The token was used before. Each token works once, on all servers.",
      "Several app names ask for a factor, and the request has one token only.",
      "A lockout is active. The response then has `Retry-After`.",
    ],
    actions: [
      "Wait for the next token. If the response has `Retry-After`, wait for that number of seconds.",
      "Synchronize the clocks of the phone and of the database server.",
      "If the phone is lost, use a recovery code. See [A lost phone](../../guides/two-factor.md#a-lost-phone).",
    ],
  },
  802: {
    meaning: "The route changes keys, rights or credentials, and the last proof of the administrator is too old.",
    causes: ["The session was opened more than 10 minutes ago, and no proof was given since."],
    actions: [
      "Send the own password or a token to `POST /admin/v1/proof`, and repeat the request. `@sallyport/client/admin` offers `prove`.",
    ],
  },
} satisfies Partial<ErrorTexts>;
