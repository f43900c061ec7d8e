export { faults } from "@sallyport/testing/faults";
