/** Sentences about an extension name it, and the module that it was loaded from. */
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
 * @throws Error with what the check threw, behind the name of the extension
 */
export const naming = <Result>(extension: LoadedExtension, check: () => Result): Result =>
  behind(titleOf(extension), check)

/** @throws Error with what `check` threw, behind `title` */
export function behind<Result>(title: string, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    throw new Error(`${title}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
