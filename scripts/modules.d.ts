/** Types of the modules that are not TypeScript, as the launcher runs them on any Node. */
declare module '*/lock.mjs' {
  export function takeTurn(lock: string, onWait: (holder: string | undefined) => void): () => void
}
