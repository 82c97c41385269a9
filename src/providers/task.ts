/** Task: the standard interactions, and the tools of abandonment recovery, which work on the Task of an abandonment. */
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool-registry.ts'
import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'

export const task = defineProvider('Task', { interactions: standard, operations: toolOperations(toolFamilies, 'Task') })
