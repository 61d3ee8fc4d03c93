/** How the program of the tool server is told where the table is, and which member it speaks for. */
export const SOCKET_VARIABLE = "ROUNDTABLE_TABLE_SOCKET";
export const TOKEN_VARIABLE = "ROUNDTABLE_TABLE_TOKEN";
