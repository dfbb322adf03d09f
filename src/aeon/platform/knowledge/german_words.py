"""What the finder of names knows of German: nouns, how they are formed, and what stands beside names. Data."""

from typing import Final

from aeon.platform.knowledge.common_words import folded_words

GERMAN_NOUNS: Final = folded_words("""
    abend abendbrot abendessen abends abfahrt abgeordnete abitur absatz absicht absturz abteilung account acker
    acryl admin adresse affe ahorn airbag akku akkus aktie aktien akzent albtraum album algorithmus alkohol
    allergie alltag alter ameise ameisen ampel amsel amt ananas anfang anfänger angebot angeln angst anhang
    anhänge anhänger anlage ansicht antrag antwort antworten anwalt anwältin anzug apfel apotheke app appetit
    applaus apps aprikose aprikosen aquarell arbeit arbeitgeber arbeitstag arbeitszeit architekt architektin
    argumente arm armbanduhr armut art artikel arzt arzttermin assistent assistentin asthma atem attest
    aubergine aufgabe aufräumen aufsatz auge augen augenbraue ausflug auskunft ausland auspuff ausschlag
    aussprache auto autobahn autofahrt autor autorin autos avocado azubi baby babysitter backen backofen backup
    badehose bademantel badewanne badezimmer bahn bahnhof bahnsteig balkon banane bananen bank basketball bass
    batterie batterien bauarbeiter bauch baum baumarkt baustelle bauteil becher bedarf beet beete beginn begriff
    behörde beifall beilage bein beispiel beitrag beiträge bekannte bekannter beleg belege benutzer benzin
    bericht beruf bescheid besen besitzer besitzerin besteck besuch betrag betrieb betriebe betriebsrat betrug
    beträge betrüger bett beweis bibliothek biene bienen bier biergarten bikini bild bilder bildschirm birne
    birnen blase blatt blattlaus blattläuse blei bleistift blick blitz blitzer blog bluetooth blume blumen bluse
    blut blutdruck blätter boden bohnen bohrer bonus boot boote boutique boxen braten braut breite bremse
    bremsen brettspiel brief briefkasten brille brillenglas brokkoli brot browser bruch bruder bräutigam
    brötchen brüche brücke brüder buch buche buchhalter buchladen buchstabe buchstaben budget bug bugs bundestag
    buntstift buntstifte bus busfahrer butter bäcker bäckerin bäuerin bäume börse bücher bügelbrett bügeleisen
    bügeln bühne bürger bürgerin büro bürste büsche cappuccino cello cent champignons chance chaos charakter
    chat chef chefin chemie chili chip chips chor cloud code cola comic compiler computer couch creme dach
    dachboden dachdecker dackel dame dank danke darm dasein datei daten datenbank datenschutz dattel datteln
    datum dauer daumen deal decke decken deich delfin demokratie denken deo depot depression designer dezember
    diabetes diagnose diagramm dialekt dieb diebstahl dienst dienstreise dienstwagen diesel diktatur ding dinge
    diplom direktor direktorin dirigent dirigentin display disziplin dividende doktor dolmetscher donner dorf
    dose dosen drachen draht dreck dreieck dressing droge drogen drogerie druck drucker durchfall durchmesser
    durst dusche dächer dübel düne dünger dürre e-mail ebbe ecke efeu ehe ehefrau ehemann ehepaar ei eier
    eifersucht eigentümer eile eimer einbrecher einbruch eindruck eingang einkauf einkaufen eintopf eis eisdiele
    eiweiß elefant elektriker elektroauto elfmeter ellbogen ellenbogen eltern elternabend elterngeld elternzeit
    emoji ende englisch enkel enkelin enkelkinder ente entscheidung entschluss entwickler epoche erbe erbsen
    erdbeere erdbeeren erdkunde erfahrung erfolg ergebnis erinnerung ernte ersatzteil erzieher erzieherin esel
    espresso essay essen essig eule euro europa ex exfreund exfreundin experte expertin export faden fahrer
    fahrkarte fahrrad fall familie fantasie farbe farbeimer fassade fazit fehler feier feierabend feiertag
    feiertage feige feigen feld felder felsen fenchel fenster ferien ferienhaus fernseher ferse fest festplatte
    feta fett feuer feuerwehr feuerzeug fichte fieber film filzstift filzstifte finanzamt finger firewall firma
    fisch fische flasche flaschen fleisch fleischer fliege fliegen fliesen flug flughafen flur fluss flut fläche
    flöte flüsse folge folie folien follower forelle form formel foto fotograf fotografin fotos frage fragebogen
    fragen framework frau frauen freibad freitag fremder freude freund freunde freundin frieden friedhof friseur
    friseurin frist frosch frost frühschicht frühstück fuß fußball fußnote fähre föhn förster füchse
    führerschein füller gabel garage garantie gardine garn garnelen garten gaspedal gast gastfamilie gastgeber
    gastgeberin gasthaus gasthof gebet gebirge geburt geburtstag gebühr gebühren gedanke gedicht gedichte geduld
    gefahr gefühl gegend gegner gehalt gehirn geige geld geldbeutel gelenk gelenke gemeinde gemeinderat gemüse
    geodreieck gepäck gericht geruch gerät geräte geschenk geschenke geschichte geschirr geschmack geschwister
    geselle gesetz gesetze gesicht gespräch gesundheit getriebe getränke gewicht gewinn gewissen gewitter
    gewächshaus gießkanne gin gipfel gips girokonto gitarre glas glatteis glaube glauben gleis gleise glitzer
    gluten glätte glück glühbirne gneis golf gott grab grad grafikkarte granit gras grenze grill grillkohle
    grippe großeltern großmutter großvater grund grundschule grundstück gruppe gruß größe gründer grüße gurke
    gurken gurt gutschein gutscheine gutschrift gärtner gäste gürtel haar haare hackfleisch hafen hagel hai
    halbpension halbzeit halle hallenbad hallo hals haltestelle hamster hand handball handel handgelenk handout
    handschuhe handtasche handtuch handwerker handy handys hardware harke hashtag hass haus hausarzt hausaufgabe
    hause haushalt hausmeister haut hebamme hecke hefe heft heidelbeere heim heimat heizung helm hemd herd herz
    herzinfarkt hilfe himbeere himbeeren himmel hin hinweis hirsch hitze hobby hochbeet hochschule hochwasser
    hochzeit hocker hockey hof hoffnung holz holzkohle homeoffice homepage honig hortensie hose hotel
    hotelzimmer huhn humor hund hunde hunger husten hybrid hähnchen häkelnadel hälfte händler höhe höhle hölle
    hörgerät hüfte hügel hühner hütte iban idee imbiss import industrie information ingenieur ingenieurin
    inhaber inhaberin inhalt inkasso insel inseln instinkt interesse internet ironie isomatte ja jacke jacken
    jahr jahre jahren jahresende jahrestag jahrhundert jahrzehnt jeans jemand job joggen joghurt journalist
    juckreiz judo jugend junge jungen jura kabel kaffee kakao kaktus kalender kalk kalorien kamera kamm kanal
    kaninchen kanne kantine kanzler kanäle kapitel karate karotte karotten karte karten kartenspiel kartoffel
    kartoffeln karton kartons kasse kassenwart kassierer kater katze katzen keks kekse keller kellner kerze
    kerzen ketchup kette kiefer kies kind kinder kindergeld kinderwagen kinn kino kiosk kirche kirsche kirschen
    kissen kiste kisten kita kiwi klasse klausur klausuren klavier klaviere klebeband kleber kleid kleider
    kleidung klempner klettern klima klingel kloster kneipe knie knoblauch knochen knolle knopf knöchel
    knöllchen knöpfe koch kochen kocher koffein koffer kofferraum kollege kollegen kollegin kollegium kommentar
    kommode kompass kompost kompromiss konditorei konflikt kongress konsens kontakt konten konto konzert
    konzerte kopf kopfhörer kopfschmerzen korb kosten kostüm krabbe kraft krank krankengeld krankenhaus krawatte
    krebs kredit kreide kreis kreisel kreuzfahrt krieg krimi krimis krise krug krähe kräuter kröte krücken
    kuchen kugel kuh kulisse kumpel kunde kunden kundin kunst kupfer kur kurkuma kurs kuss käfer kälte käse
    kätzchen köchin küche kühe kühlschrank kümmel künstler kürbis küste labor lachs ladegerät ladekabel laden
    ladesäule lage lager lagerfeuer laktose laminat lamm lampe lampen land landtag langeweile lappen laptop
    laptops lastenrad lastschrift latein laub lauch lauf laune lavendel leben lebenslauf leber lehm lehrer
    lehrerin leid leinwand leiter lenkrad lesen leuchtturm leute lexikon licht liebe lied lieder lieferant liege
    liegestuhl likör limonade lineal link links linsen lippe lippenstift liste listen lkw locher lohn lohnsteuer
    lohnzettel lokführer luft luftballon luftpumpe lunge lust länge lärm löffel lösung löwe lüge magen mahlzeit
    mai mail mails mais makler mal malbuch mama mandel mandeln mango mann mannschaft mantel mappe margarine
    markt marmelade maschine maschinen masseur mathe matratze mauer mauern maulwurf maurer maus mauszeiger maut
    mayonnaise mechaniker medizin meer meeting mehl meinung meise melodie melone mensa mensch menschen menü
    messer meter methode metzger miete mieter mietvertrag migräne mikrowelle milch minister minute minuten minze
    misstrauen mitarbeiter mitbewohner mitglied mitglieder mitschrift mittag mittagessen mitte mittelalter
    mittelwert mitternacht mixer moment monat monate monaten monatsende mond monitor montag moos moped mord
    morgen moschee motor motorhaube motorrad mund muschel muscheln museum musik musiker musikerin muskel muskeln
    muster mut mutter mädchen männer märchen möbel möhre möhren möwe mücke mücken mühe müll müllabfuhr müllmann
    mülltonne müsli müsliriegel mütze nachbar nachbarin nachbarn nachlass nachmittag nachricht nacht nachtisch
    nachwuchs nacken nadel name namen narbe narkose nase natur nebel nebenkosten neffe neid nelken nerv nerven
    netzwerk newsletter nichte niere nikotin notar notarin notarzt notebook notebooks noten novelle nudeln
    nummer nuss nutzer nutzerin nägel nähmaschine nüsse objekt obst ofen ohr ohren ohrringe oma onkel opa oper
    opfer orange orangen orchester orchidee ordner ordnung oregano orgel orkan ort osten paar paket paketband
    panik panne papa papier paprika parameter parfüm park parkett parkplatz partei parteien partner party pass
    passwort passwörter pasta patenkind patenonkel patentante pause pech pension person personen petersilie
    pfanne pfannkuchen pfarrer pfarrerin pferd pflanze pflaster pflaume pflaumen pfleger pflegerin pflicht
    pflichten phishing picknick pilates pille pilot pilotin pilz pilze pinsel pizza plan platz pläne plätzchen
    podcast pokal polizei polizist polizistin pollen pony popcorn porree porträt post postamt postkarte
    powerbank praktikant praline pralinen praxis preis premiere priester probe proben problem probleme profi
    profil programm projekt proteine protokoll prozent prozessor präsident präsidentin prüfung publikum pudding
    pudel pullover puls punkt puppe puppen putzen puzzle quadrat qualle quark quartal quatsch quelle quellen
    quelltext querflöte rabatt rad radfahren radiergummi radieschen radio radius radtour rasen rasierer rat
    rathaus raupe raupen realschule rechen rechnen rechnung recht rechte rede reden referat refrain regal regale
    regel regeln regen regenjacke regenschirm regisseur regisseurin reh reha reifen reihe reis reise reiseführer
    reiseleiter reisepass reiten rente respekt rest restaurant rezept rezepte rhabarber rhythmus richtung rind
    rindfleisch ringe risiko riss risse roboter rock rolle roller rollstuhl romane rose rosen rosine rosinen
    rosmarin rotwein router routine rucksack rucola rudern ruhe rum runde rutsche rücken sache sachen saft sahne
    salat salbe salz samen samstag sand sandalen sandkasten sandstein sanitäter sattel satz sauce saxofon
    scanner schach schaf schafe schaffner schal schale scham schatten schaufel schaukel schema schere schicht
    schiff schildkröte schimmel schinken schirm schlaf schlafanzug schlafsack schlagzeug schlange schlauch
    schleife schleuse schloss schluss schlüssel schmerz schmerzen schminke schmuck schmutz schnaps schnecke
    schnecken schnee schnitt schnitzel schnuller schnupfen schokolade schrank schraube schrauben schreiben
    schränke schubkarre schuh schuhe schuld schulden schule schulfreund schulter schwager schwamm schwein
    schweine schweiß schwester schwestern schwimmbad schwimmen schwindel schwäche schwächen schwägerin
    schäferhund schüler schüssel see seele seen segelboot segeln sehne seife seite seiten sekretär sekretärin
    sekt sekunde selbst sellerie semester seminar senf sensor serie server sessel shampoo sicht sieger siegerin
    singen sinn sirup situation sitzplatz skat ski skifahren skizze skript skulptur snack socken sofa software
    sohn soldat sommer sonne sonnenblume sonnenbrand sonnencreme sonntag sopran sorge sorgen sorgerecht souvenir
    soße spalte spalten spam sparbuch sparkasse spaten spatz spazieren spaß speck spende spenden spiegel spiel
    spiele spielplatz spielzeug spinat spinne sport sporthalle sprache sprachkurs spritze spur spätzle staat
    stadion stadt stadtrat stadtteil stamm standesamt start stau staub staubsauger steckdose stecker steine
    stelle stempel stern steuer steuern stichprobe stiefbruder stiefel stiefmutter stiefvater stille stillleben
    stimme stimmung stirn stock stoff stoffe strafe strand straße straßenbahn streichholz streit stress
    strickzeug strom strophe strumpf strümpfe student studentin studium stuhl stunde stunden sturm städtereise
    stärke stärken stück suche summe supermarkt suppe surfen synagoge säge sänger sängerin sätze söhne tab tabak
    tabelle tabellen tablet tablets tablette tabletten tacker tag tage tagen tagesmutter takt tal talent
    tankstelle tanz tanzen tapete tasche tasse tastatur tat taube tauben tauchen taufe taxifahrer tee teich teig
    teil teilnehmer telefon teller temperatur tempolimit tenor teppich termin terminal termine terrasse test
    testen teufel text texte theater thema theorie therapie thermometer these thunfisch thymian ticket tickets
    tiefe tier tiere tiger tipp tisch tischler toaster tochter tod tofu toilette tomate tomaten ton tonpapier
    topf topfpflanze tor tore torte touchscreen tour trainer training traube trauben trauer traum trauzeuge
    trauzeugin treffen treppe treppenhaus trinkgeld trockner trommel trompete träne tränen träume tulpen tunnel
    turnen turnier turnschuhe typ täler täter töchter töpfe tür tüte tüv ufer uhr umfang umfrage umsatz umschlag
    umzug umzugswagen unfall uni universität unkraut unkräuter unsinn unterhalt untermieter unterricht
    unterschied unterwäsche update updates urgroßvater urlaub urteil vanille variable vase vater verband verbot
    verein vergangenheit verkehr verkäufer verkäuferin verlag verleger verlierer verlobte verlobter verlust
    vermieter vernunft version verstand versuch vertrag vertrauen video viertel virus visum vitamin vitamine
    vogel vokabel vokabeln volk volleyball vollmacht vorabend vorhang vormittag vorname vorrat vorschlag
    vorsicht vorsitzende vorspeise vorstand vortrag vorurteil vögel waage wade waffel waffeln wagen wahl wahlen
    wahrheit wal wald walnuss walnüsse wand wanderkarte wandern wange ware wasser wasserfarbe watt webseite
    website wechselkurs wecker weg weide weihnachten wein weingut weißwein welle wellen welpe welt werft werk
    werkstatt werktag werkzeug wert wespe wespen westen wetter whisky wiese wiesen wildschwein wimpern wind
    windel windeln winkel winter wirtin wissen witwe witwer witz witze wlan woche wochen wochenende wochentag
    wodka wohnmobil wohnung wohnungen wohnwagen wohnzimmer wolke wolle workshop wort worte wunde wunder wunsch
    wurm wurst wurzel wurzeln wut wärme wäsche wörter wörterbuch wünsche würfel würfelspiel würmer wüste yoga
    zahl zahlen zahn zahnarzt zahnbürste zahnfleisch zahnpasta zahnspange zange zaun zehe zehen zeichen zeile
    zeilen zeit zeitschrift zeitung zelt zentrum zettel zeug zeuge zeugin ziege ziegen ziel ziele ziffer ziffern
    zigarette zigaretten zimmer zink zinsen zitat zitrone zitronen zoll zucchini zucker zufall zug zugfahrt
    zukunft zunge zustand zutat zutaten zweifel zwiebel zwiebeln zähne ämter änderung äpfel ärger ärztin öl
    ölfarbe ölwechsel überschrift übersetzer überstunden
    """)
"""Common German nouns, which stand without an article, too, and alone or as the last part of others."""

NAME_ENDINGS: Final = (
    "dorf",
    "stadt",
    "wald",
    "hof",
    "heim",
    "mann",
    "strand",
    "ort",
    "weg",
    "schloss",
    "werk",
    "stern",
    "rose",
    "stamm",
    "koch",
)
"""Common nouns in which German surnames and places end, too: a word that ends so may be a name."""

LONG_NOUN: Final = 12
"""From this length on, a German word in one piece is a compound of common nouns."""

GERMAN_NOUN_ENDINGS: Final = (
    "innen",
    "terin",
    "nerin",
    "lerin",
    "derin",
    "logie",
    "grafie",
    "graphie",
    "ium",
    "ung",
    "ungen",
    "heit",
    "heiten",
    "keit",
    "keiten",
    "schaft",
    "schaften",
    "tion",
    "tionen",
    "ität",
    "itäten",
    "ismus",
    "nisse",
    "nis",
    "tum",
    "ling",
    "linge",
    "erei",
    "ment",
    "enz",
    "anz",
    "ik",
)
"""Endings of German nouns that are not names."""

GERMAN_NOUN_BEGINNINGS: Final = (
    "ver",
    "vor",
    "auf",
    "aus",
    "ein",
    "ab",
    "um",
    "zu",
    "unter",
    "über",
    "durch",
    "hinter",
)
"""Beginnings of longer German nouns that are not names."""

WATERS: Final = folded_words("main rhein neckar inn see oder saale donau lahn ruhr breisgau meer mur elbe isar")
"""What stands in the name of a town after am, an der or im: "Frankfurt am Main"."""

PERSON_TITLES: Final = folded_words("frau herr herrn familie fräulein dr prof doktor")
"""After these a German word is a surname, whatever else it means."""

PLACE_PREPOSITIONS: Final = folded_words("in auf nach aus bei von bis über gen für mit ohne und oder laut zwischen")
"""Before a German word without an article: of a place or a person, rather than of a noun."""

LOCATIVES: Final = folded_words("in nach aus bei von bis gen")
"""Those of them after which places stand, whose names end as common nouns and plurals do: "in Neustadt"."""

SUBJECTS: Final = folded_words("""
    ich wir du er sie es ihr man das der die mein meine unser unsere dein deine sein seine ein eine jeder jede
    """)
"""First words of a clause whose subject they are or begin, so that what follows its verb is an object."""

RELATIONS: Final = folded_words("""
    mann frau ehemann ehefrau bruder schwester brüder schwestern sohn tochter söhne töchter vater mutter eltern neffe
    nichte cousin cousine vetter base schwager schwägerin schwiegervater schwiegermutter onkel tante oma opa enkel
    enkelin zwilling zwillinge freund freundin freunde kumpel verlobter verlobte partner partnerin kollege kollegin
    kollegen chef chefin nachbar nachbarin nachbarn mitbewohner mitbewohnerin vermieter vermieterin mieter mieterin
    lehrer arzt ärztin notar trainer betreuer kunde kundin baby kind kinder junge mädchen hund hündin kater katze pferd
    terrier dackel pudel welpe hamster
    """)
"""Before the name of a person or an animal: what they are to somebody."""

FEMININE_ENDINGS: Final = (
    *("terin", "nerin", "lerin", "derin", "serin", "gerin", "herin", "kerin", "berin", "perin", "merin", "ferin"),
    *("istin", "antin", "entin", "eurin"),
)
"""How words for what a woman is end, which stand before her name."""

HOUSES: Final = folded_words("""
    haus hotel gasthaus gasthof pension café restaurant krankenhaus klinikum klinik seniorenheim
    grundschule gymnasium realschule universität hochschule buchhandlung bäckerei sparkasse volksbank
    """)
"""Before the name of a house, as a part of it: "Hotel Seeblick"."""

INSTITUTIONS: Final = folded_words("""
    institut stiftung gymnasium schule grundschule realschule gesamtschule universität hochschule akademie archiv museum
    theater bank verein verband kirche klinik klinikum werk werke verlag halle stadion brücke park haus heim hütte
    galerie bibliothek gruppe konzern
    """)
"""What a name with a hyphen ends in: "Thünen-Institut"."""

WITH_ARTICLE: Final = folded_words("""
    rhein neckar donau elbe mosel isar spree havel weser saale lech ruhr lahn gera werra fulda unstrut neiße tauber
    ems wupper zschopau tollense peene warnow alster jagst kocher iller salzach enns traun drau
    bodensee chiemsee ostsee nordsee müritz traunsee wolfgangsee schwarzwald erzgebirge harz taunus hunsrück eifel
    odenwald spessart allgäu alpen rhön vogtland sauerland siegerland emsland münsterland ruhrgebiet saarland rheinland
    elsass tessin burgenland engadin schweiz türkei ukraine niederlande toskana provence bretagne normandie
    """)
"""Rivers, lakes, mountains and countries whose names have an article."""

KINDS: Final = folded_words("projekt schiff fähre boot server firma verein band marke")
"""Before the name of a thing, which they are not a part of."""

NAMING: Final = folded_words("namens genannt heiße heiß heißt hieß nannte nenne taufte rief")
"""Before a German name."""

BEING: Final = folded_words("ist war bin bist sind wird wurde werde werden wurden als")
"""Before a German noun without an article: what somebody is."""

PROFESSION_ENDINGS: Final = ("er", "in", "ist", "ent", "ant", "or", "wart", "mann", "frau", "eur", "oge", "eut")
"""How German words for what somebody is end."""

NAMES_LIKE_VERBS: Final = folded_words("""
    jürgen maren carmen karen ellen helen sven steffen torben carsten karsten jochen hagen kirsten kristen kerstin
    thorben morten espen gretchen evelyn lauren kathleen colleen ben ruben robben tübingen
    """)
"""German first names that end as verbs and plurals do."""

GERMAN_VERBS: Final = folded_words("""
    war kam ging fuhr lag saß rief schrieb sprach wurde will kann muss soll darf mag starb zog traf gab blieb fand
    lief las half trug hatte würde hätte könnte sollte wäre wollte
    """)
"""Verbs of the third person that do not end in t."""

PERSONS: Final = folded_words("ich wir du er sie ihr")
"""Pronouns that end a list of persons."""

STREETS: Final = ("straße", "strasse", "gasse", "allee", "platz", "weg")
"""How a street is called in German, before its number."""
