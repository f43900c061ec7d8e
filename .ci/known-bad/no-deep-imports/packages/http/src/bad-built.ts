export { code } from "@sallyport/core/dist/errors/index.js";
