/** The live-call tools of extensions, beside those of the server. */
import type { ToolFamilies } from '../calls/tool.ts'
import { mergeFamilies, registerTools } from '../calls/tool-registry.ts'
import type { Provider } from '../core/provider.ts'
import { type LoadedExtension, naming } from './naming.ts'

interface Surroundings {
  /** They declare the operations behind the tools. */
  readonly providers: ReadonlyMap<string, Provider>
  /** First path segments that other routes answer for. */
  readonly reserved: ReadonlySet<string>
}

/**
 * `own`, and the families and tools that the extensions add.
 * @throws Error naming the extension, and the family or tool that it defines wrongly
 */
export const familiesWith = (
  extensions: readonly LoadedExtension[],
  own: ToolFamilies,
  { providers, reserved }: Surroundings,
): ToolFamilies =>
  extensions.reduce(
    (families, extension) =>
      naming(extension, () => {
        const { tools = {} } = extension
        registerTools(tools, providers, reserved)
        return mergeFamilies(families, tools)
      }),
    own,
  )
