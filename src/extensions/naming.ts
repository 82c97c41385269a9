/** Errors about an extension name it, and the module from which it was loaded. */
import type { ServerExtension } from './extension.ts'

export interface LoadedExtension extends ServerExtension {
  /** As EXTENSIONS names it; absent where it was handed to createApp. */
  readonly module?: string
}

/** `Extension fall-risk (./fall-risk.ts)` */
const titleOf = ({ name, module }: LoadedExtension): string =>
  module === undefined ? `Extension ${name}` : `Extension ${name} (${module})`

/**
 * The result of a check of `extension`.
 * @throws Error with the message of what the check threw, after the name of the extension
 */
export const naming = <Result>(extension: LoadedExtension, check: () => Result): Result =>
  prefixed(titleOf(extension), check)

/**
 * The result of `check`.
 * @throws Error with the message of what `check` threw, after `title`
 */
export function prefixed<Result>(title: string, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    throw new Error(`${title}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
