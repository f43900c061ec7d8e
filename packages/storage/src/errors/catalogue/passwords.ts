import type { Entries } from "./entry.ts";

/** Codes of passwords, second factors and proofs. */
export const passwords = {
  319: {
    status: 400,
    name: "Old password is missing or is invalid",
    condition: "`oldPassword` is absent or not a valid string.",
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
    status: 400,
    name: "New password is missing or is invalid",
    condition: "`newPassword` is absent, too short or in a list of breached passwords.",
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
    status: 400,
    name: "The old and new password cannot be the same",
    condition: "`oldPassword` and `newPassword` are equal.",
    meaning: "The new password is the old one.",
    causes: ["`oldPassword` and `newPassword` are equal. With `clientHash: md5`, a password equals its MD5 digest."],
    actions: ["Choose another password."],
  },
  322: {
    status: 400,
    name: "Encrypted parameter is missing or is invalid",
    condition: "`encrypted` is not a boolean.",
    meaning: "The member `encrypted` of a change of password has the wrong type.",
    causes: ['The client sends a string such as `"true"`, a number or `null`.'],
    actions: ["Send `true` or `false`, or omit the member."],
  },
  325: {
    status: 400,
    name: "User name is missing or is invalid",
    condition: "`user` of a password reset is absent or not a valid string.",
    meaning: "A request for a password reset has no usable user name.",
    causes: ["`user` is missing, blank, not a string, or longer than 1,024 characters."],
    actions: ["Send the user name as `user`. Unknown names get the same response as known ones."],
  },
  326: {
    status: 400,
    name: "Confirmation code is missing or is invalid",
    condition: "`confirmationCode` is absent, wrong or expired.",
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
    status: 400,
    name: "Reset password token is missing or is invalid",
    condition: "`resetPasswordToken` is absent, unknown, used or expired.",
    meaning: "The token of a password reset is not valid.",
    causes: [
      "`resetPasswordToken` is missing, blank, unknown, used, or older than 30 minutes.",
      "The password changed after the mail was sent, or the user is disabled.",
    ],
    actions: ["Request another mail with `POST /v1/resetPassword`, and use the token of the latest mail."],
  },
  339: {
    status: 400,
    name: "Wrong password",
    condition: "The old password is wrong on a password change.",
    meaning: "The old password of a change of password is wrong.",
    causes: [
      "`oldPassword` is not the current password, or another request has just changed the password.",
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
    status: 401,
    name: "Two-factor token is required",
    added: true,
    condition:
      "An app name requires a second factor, and the user has no confirmed one. Or a session for setting one up is used for another request.",
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
    status: 401,
    name: "Two-factor token is missing",
    added: true,
    condition: "The user has a second factor, and `2faToken` or `token` is absent or empty.",
    meaning: "The password is right, and the user has a second factor. The request has no token.",
    causes: ["The log-in has no `2faToken`, or a blank one.", "`/v1/2fa/…`: the body has no `token`, or a blank one."],
    actions: ["Ask the user for a token and repeat the request with it. A recovery code works in its place."],
  },
  342: {
    status: 401,
    name: "Two-factor token is invalid",
    added: true,
    condition: "`2faToken` or `token` is wrong, expired or was used before.",
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
  712: {
    status: 500,
    name: "Unable to send reset password email",
    condition: "The mail transport cannot be used.",
    meaning: "The server cannot send the mail that the request needs. The response is the same for all users.",
    causes: [
      "Mail is not configured, or the master key is missing.",
      "The mail server has not accepted mail for longer than 15 minutes.",
      "A custom user has no e-mail address.",
      "A hook authenticates the custom users, so the server cannot reset their passwords.",
    ],
    actions: [
      "An operator runs `sallyport-server mail test`. See [Send mail](../../guides/mail.md).",
      "Give the custom user an address with `sallyport --local custom-user set-email`.",
    ],
  },
  802: {
    status: 403,
    name: "Recent proof is required",
    added: true,
    condition:
      "The request needs a proof of the password or second factor that is at most 10 minutes old. See `POST /admin/v1/proof`.",
    meaning: "The route changes keys, rights or credentials, and the last proof of the administrator is too old.",
    causes: ["The session was opened more than 10 minutes ago, and no proof was given since."],
    actions: [
      "Send the own password or a token to `POST /admin/v1/proof`, and repeat the request. `@sallyport/client/admin` offers `prove`.",
    ],
  },
} satisfies Entries;
