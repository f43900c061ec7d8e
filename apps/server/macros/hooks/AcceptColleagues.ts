import { defineHook } from "@sallyport/macros";

/** Lets in whom the company's own identity provider sends, and nobody else. */
export default defineHook({
  on: "xRestApi_DBCreateInit_xRestApiUserProvider",
  run(userObject, providerConfig, userUuid, name, surname, email) {
    return typeof email === "string" && email.endsWith("@example.com") ? 0 : -1;
  },
});
