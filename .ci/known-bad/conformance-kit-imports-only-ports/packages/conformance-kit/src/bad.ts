export { word } from "@sallyport/storage-memory";
