const word = 1;
export default word;
