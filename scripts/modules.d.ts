/** Types of the modules that are not TypeScript, as the launcher runs them on any Node. */
declare module '*/lock.mjs' {
  export function takeTurn(lock: string, onWait: (holder: string | undefined) => void): () => void
}

declare module '*/reach.mjs' {
  type LockFile = import('./packages/lock-file.ts').LockFile
  export function placeOf(lock: LockFile, from: string, dependency: string): string | undefined
  export function reachedFrom(lock: LockFile, from: string, names: readonly string[]): ReadonlySet<string>
  export function projectsOf(lock: LockFile): readonly string[]
  export function forWorkspacesOnly(lock: LockFile): ReadonlySet<string>
}
