export { port } from "@sallyport/storage";
