export { call } from "@sallyport/client";
