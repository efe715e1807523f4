"""Orders in other languages, and in English letters turned by thirteen. Small letters only."""

TONGUE_WORDS = (
    "ignorieren vergiss vergessen missachten antworte bist ignore oublie olvida omite dimentica "
    "esquece esqueça desconsidere responde réponds maintenant ahora rispondi responda negeer "
    "vergeet "
    "zignoruj talimat vtaber qvfertneq sbetrg"
)
"""Of these every match has one, by its first letters."""

TONGUES = (
    r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*)\b.{0,50}\b(?:anweisung\w*|befehl\w*|"
    r"vorgabe\w*|vorher|zuvor|bisher\w*)\b"
    r"|\bantworte[tn]? (?:nur|ausschließlich) (?:noch )?mit\b|\bdu bist (?:jetzt|nun|ab jetzt)\b"
    r"|\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions|consignes)\b.{0,20}\b(?:préc|ci-|"
    r"anté|avant|et\b)|\bréponds? (?:uniquement|seulement) (?:par|avec)\b|\btu es maintenant\b"
    r"|\b(?:ignor|olvid|omit|dimentic|esque[cç]|desconsider)\w*\b.{0,40}\b(?:instrucciones|"
    r"istruzioni|instruções|órdenes)\b|\bresponde (?:solo|sólo|únicamente) con\b"
    r"|\bahora eres\b|\brispondi solo con\b|\bresponda (?:apenas|somente) com\b"
    r"|\b(?:negeer|vergeet)\b.{0,40}\binstructies\b|\bzignoruj\b.{0,40}\b(?:instrukcj|polece)\w*"
    r"|\b(?:önceki|tüm) (?:\w+ ){0,2}talimat\w* (?:yok say|unut|görmezden)"
    r"|\b(?:vtaber|qvfertneq|sbetrg)\b.{0,40}\b(?:vafgehpgvba|cebzcg)"
)

SCRIPTS = (
    r"(?:игнориру|забуд|не обращай)\w*.{0,40}(?:инструкц|указан|команд)\w*"
    r"|(?:忽略|无视|無視|忘记|忘記).{0,20}(?:指令|指示|提示|命令|规则|規則)"
    r"|(?:指示|命令|指令|プロンプト).{0,12}(?:無視|忘れ)|(?:지시|명령|지침|프롬프트).{0,12}(?:무시|잊)"
    r"|(?:تجاهل|انس).{0,40}(?:التعليمات|الأوامر)|निर्देश.{0,30}अनदेखा|अनदेखा.{0,30}निर्देश"
)
"""In scripts that do not set words apart, or not as Latin does."""
