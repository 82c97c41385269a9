/** ImplementationGuide: the standard interactions, and the installation of packages. */
import { implementationGuideInstall } from '../operations/implementation-guide-install.ts'
import { defineProvider } from './provider.ts'
import { standard } from './standard.ts'

export const implementationGuide = defineProvider('ImplementationGuide', {
  interactions: standard,
  operations: [implementationGuideInstall],
})
