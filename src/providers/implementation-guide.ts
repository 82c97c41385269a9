/** ImplementationGuide: the standard interactions, and the installation of packages. */

import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { implementationGuideInstall } from '../operations/implementation-guide-install.ts'

export const implementationGuide = defineProvider('ImplementationGuide', {
  interactions: standard,
  operations: [implementationGuideInstall],
})
