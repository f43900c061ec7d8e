/** Of every table: texts are compared by their code points and to their last blank, the same on every server. */
export const tableOptions = "engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin";
