export { NodeDigests } from "@sallyport/crypto";
