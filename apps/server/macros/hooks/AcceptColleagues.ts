import { defineHook } from "@sallyport/macros";

/** Accepts users with a company address only, from providers that verify addresses. */
export default defineHook({
  on: "xRestApi_DBCreateInit_xRestApiUserProvider",
  run(userObject, providerConfig, userUuid, name, surname, email) {
    const isProven = providerConfig.type === "google" || providerConfig.type === "apple";
    return isProven && typeof email === "string" && email.endsWith("@example.com") ? 0 : -1;
  },
});
