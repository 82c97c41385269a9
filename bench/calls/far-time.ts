/** Milliseconds after which a clinic's own systems respond. */
export const FAR_MILLISECONDS = 50
