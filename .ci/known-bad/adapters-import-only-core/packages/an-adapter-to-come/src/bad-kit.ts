export { suite } from "@sallyport/conformance-kit";
