/** Milliseconds after which a clinic's own systems answer. */
export const FAR_MILLISECONDS = 50
