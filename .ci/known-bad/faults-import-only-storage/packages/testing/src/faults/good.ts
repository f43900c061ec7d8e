export { storage } from "@sallyport/storage";
