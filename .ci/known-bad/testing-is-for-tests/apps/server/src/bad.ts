export { service } from "@sallyport/testing";
