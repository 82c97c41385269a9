/** Types of what the launcher runs on any Node, and therefore is no TypeScript. */
declare module '*/lock.mjs' {
  export function takeTurn(lock: string, onWait: (holder: string | undefined) => void): () => void
}
