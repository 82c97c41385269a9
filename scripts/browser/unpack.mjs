/** Unpacks the Chromium of the package @sparticuz/chromium, with the libraries it needs, into the folder that TMPDIR names. */
import chromium from '@sparticuz/chromium'

await chromium.executablePath()
