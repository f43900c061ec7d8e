export { startTestServer } from "@sallyport/server/testing";
